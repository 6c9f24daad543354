/** An integer from `min` to `max`, both included. */
export const isInteger = (value: number, min: number, max: number): boolean => Number.isInteger(value) && value >= min && value <= max;
