import { expect, test } from 'vitest';
import { EXIT, UserError } from '../../packages/runtime/user-error.ts';
import { requireEntityName } from './entity-name.ts';

const refusalOf = (name: string): unknown => {
  try {
    return requireEntityName(name);
  } catch (error) {
    return error;
  }
};

test.each(['invoice-match', 'invoice', 'a', 'step2-of-order'])('%s is a name', (name) => {
  expect(requireEntityName(name)).toBe(name);
});

test.each([
  ['', 'such as invoice-match'],
  ['InvoiceMatch', 'such as invoice-match'],
  ['invoice_match', 'such as invoice-match'],
  ['Order Lines!', 'such as order-lines'],
  ['-order', 'such as order'],
  ['2fa', 'begin with a letter'],
  ['step-2', 'begin with a letter'],
  ['../escape', 'lower-case words'],
  ['rechnungsprüfung', 'lower-case words'],
  ['a'.repeat(41), '41 characters'],
  ['class', 'reserved'],
  ['type', 'reserved'],
  ['then', 'reserved'],
  ['pipeline', 'reserved'],
  ['flow-control', 'reserved'],
])('"%s" is refused: %s', (name, reason) => {
  const refusal = refusalOf(name);
  expect(refusal).toBeInstanceOf(UserError);
  expect(refusal).toMatchObject({ message: expect.stringContaining(reason), exitCode: EXIT.refused });
});
