export const answer = (): never => {
  throw new Error('broken');
};
