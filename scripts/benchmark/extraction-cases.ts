import { json, number, text } from './case.ts';
import type { Draft } from './case.ts';

const extract = (what: string, from: string, expected: string): Draft => text(`Extract the ${what} from this text: ${from}`, expected);
const person = (from: string, name: string, age: number): Draft => json(`Return the name and age of the person as JSON: ${from}`, { name, age });
const words = (of: string, expected: number): Draft => number(`How many words are in this text: ${of}`, expected);

/** Things to find in a text: addresses, numbers, dates, amounts, people; some hidden as people hide them. */
export const extractionCases: readonly Draft[] = [
  extract('email address', 'Write to jane.doe@example.org for details.', 'jane.doe@example.org'),
  extract('email address', 'Contact: sales+eu@shop.example.com, Mon to Fri.', 'sales+eu@shop.example.com'),
  extract('email address', 'My address is tom (at) example (dot) net.', 'tom@example.net'),
  extract('email address', 'Old: a@example.com (no longer read). New: b@example.com.', 'b@example.com'),
  extract('email address', 'Send it to <ops@mail.example.io>.', 'ops@mail.example.io'),
  extract('URL', 'The manual is at https://docs.example.org/start, as always.', 'https://docs.example.org/start'),
  extract('URL', 'See http://example.com/a?b=1&c=2 for more.', 'http://example.com/a?b=1&c=2'),
  extract('URL', 'Our site is www.example.net since last year.', 'www.example.net'),
  extract('URL', 'Read (https://example.org/wiki/Rome_(city)) first.', 'https://example.org/wiki/Rome_(city)'),
  extract('phone number', 'Call +49 30 1234567 before noon.', '+49 30 1234567'),
  extract('phone number', 'Reach us at +1 212-555-0147, extension 3.', '+1 212-555-0147'),
  extract('phone number', 'Our number is 030 / 98 76 54.', '030 / 98 76 54'),
  extract('order number', 'Your order AB-20391 has left our store.', 'AB-20391'),
  extract('order number', 'Order X-778, placed on 2024-05-02, is late.', 'X-778'),
  extract('order number', 'Re: order no. 4471 (two parcels).', '4471'),
  extract('invoice number', 'Please pay INV-20240117 within 14 days.', 'INV-20240117'),
  extract('invoice number', 'Invoice 2024/0093 is attached.', '2024/0093'),
  extract('ISO date', 'The meeting moved from Monday to 2025-03-18.', '2025-03-18'),
  extract('ISO date', 'Released 2021-11-09, see the notes of the day.', '2021-11-09'),
  extract('ISO date', 'Valid until 2023-99-99 or, if misprinted, 2023-09-09.', '2023-09-09'),
  extract('amount in euros', 'The total is €1,249.50 including tax.', '1,249.50'),
  extract('amount in euros', 'She paid 19.99 euros for it.', '19.99'),
  extract('amount in euros', 'It costs 1.200 dollars, that is 1.104 EUR.', '1.104'),
  extract('amount in euros', 'A flat fee of twelve euros applies.', '12'),
  extract('IP address', 'Login from 203.0.113.77 refused.', '203.0.113.77'),
  extract('IP address', 'Version 10.2.0.1 was installed from host 192.0.2.15.', '192.0.2.15'),
  extract('postal code', 'Lindenstr. 9, 10969 Berlin', '10969'),
  extract('postal code', 'Article 20231 ships to 50667 Cologne.', '50667'),
  extract('licence plate', 'The car with plate B-MW 1234 blocks the gate.', 'B-MW 1234'),
  person('Maria Lopez is 34 years old and lives in Lima.', 'Maria Lopez', 34),
  person('Tom Berg, aged 51, won the race.', 'Tom Berg', 51),
  person('Ines Roth (28) joined in May.', 'Ines Roth', 28),
  person('At 67, Paul Weber still runs every day.', 'Paul Weber', 67),
  person('Born in 1990, Lena Koch turned 33 in 2023.', 'Lena Koch', 33),
  person('Jo is 9.', 'Jo', 9),
  words('to be or not to be', 6),
  words('One two  three', 3),
  words('well-known state-of-the-art tools', 3),
  words('  spaces   around  ', 2),
  words('alone', 1),
];
