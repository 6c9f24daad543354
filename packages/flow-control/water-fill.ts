/**
 * Divides `amount` among claims of which none gets more than it asked for: max-min fairness. What cannot be divided evenly goes, one each, to the
 * claims in `order` (indices; by default as they stand). Answers in the order of the claims; the sum is `min(amount, sum of the claims)`.
 */
export const waterFill = (
  amount: number,
  claims: readonly number[],
  order: readonly number[] = claims.map((_, index) => index),
): readonly number[] => {
  const shares = claims.map(() => 0);
  const room = (index: number): number => (claims[index] ?? 0) - (shares[index] ?? 0);
  let left = amount;
  for (;;) {
    const open = order.filter((index) => room(index) > 0);
    if (left <= 0 || open.length === 0) return shares;
    const even = Math.floor(left / open.length);
    const round = even === 0 ? open.slice(0, left) : open;
    for (const index of round) {
      const given = Math.min(Math.max(1, even), room(index));
      shares[index] = (shares[index] ?? 0) + given;
      left -= given;
    }
  }
};
