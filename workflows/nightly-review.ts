import { nightlyReviewContract } from '../packages/contracts/nightly-review.ts';
import { scheduledPipeline } from '../packages/durable/scheduled-pipeline.ts';

/** Asks for the reviews of one hour's users. */
export const nightlyReview = scheduledPipeline(nightlyReviewContract, 'scheduledAt');
