import { describe, expect, test } from 'vitest';
import { substituteEntity } from './forms.ts';

const substitute = (text: string, to = 'invoice-match') => substituteEntity(text, 'square-number', to);

describe('an entity is replaced', () => {
  test.each([
    ["from './square-number.ts'", "from './invoice-match.ts'"],
    ['squareNumber.executeItem', 'invoiceMatch.executeItem'],
    ['createSquareNumberActivities', 'createInvoiceMatchActivities'],
    ['SQUARE_NUMBER_LIMIT', 'INVOICE_MATCH_LIMIT'],
    ['square_number_items', 'invoice_match_items'],
    ['Square number: each square number', 'Invoice match: each invoice match'],
  ])('in %s', (text, expected) => {
    expect(substitute(text)).toBe(expected);
  });

  test('by one word', () => {
    expect(substitute('squareNumberContract, SquareNumberDeps, square-number', 'invoice')).toBe('invoiceContract, InvoiceDeps, invoice');
  });

  test('once, also where the new name holds the old one', () => {
    expect(substitute('squareNumber in square-number.ts', 'big-square-number')).toBe('bigSquareNumber in big-square-number.ts');
  });

  test('and nothing else', () => {
    expect(substitute('a square of a number, largestSquare')).toBe('a square of a number, largestSquare');
  });
});
