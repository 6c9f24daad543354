import { squareNumberContract } from '../packages/contracts/square-number.ts';
import { pipeline } from '../packages/durable/pipeline.ts';

/** Squares the numbers of one name. */
export const squareNumber = pipeline(squareNumberContract);
