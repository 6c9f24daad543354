export const answer = (): object => ({ text: 'x' });
