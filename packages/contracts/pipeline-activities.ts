import type { ListRequest, ListedPage } from './page-activities.ts';
import type { ItemReceipt, ItemRequest, SliceReceipt, SliceRequest } from './item-activities.ts';
import type { FinalizeRequest, Finalized, LedgerCounts, ProgressRequest } from './finish-activities.ts';
import type { Counted, EntryRequest, Preflighted } from './entry-activities.ts';

/** Activities behind every pipeline, registered as `<type>.<verb>`. */
export interface PipelineActivities {
  preflight(request: EntryRequest): Promise<Preflighted>;
  countEligible(request: EntryRequest): Promise<Counted>;
  listPage(request: ListRequest): Promise<ListedPage>;
  executeItem(request: ItemRequest): Promise<ItemReceipt>;
  executeSlice(request: SliceRequest): Promise<SliceReceipt>;
  readProgress(request: ProgressRequest): Promise<LedgerCounts>;
  finalize(request: FinalizeRequest): Promise<Finalized>;
}
