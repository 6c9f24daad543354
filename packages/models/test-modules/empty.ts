export const question = 1;
