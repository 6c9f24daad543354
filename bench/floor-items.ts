import type pg from 'pg';

/** Makes the rows that the floors update, anew. */
export const seedFloorItems = async (pool: pg.Pool, items: number): Promise<readonly string[]> => {
  await pool.query('drop table if exists floor_items');
  await pool.query('create table floor_items (item_set text, item_id text, counter integer not null default 0, primary key (item_set, item_id))');
  await pool.query("insert into floor_items select 'floor', 'item-' || lpad(n::text, 7, '0') from generate_series(1, $1::int) n", [items]);
  const { rows } = await pool.query<{ item_id: string }>('select item_id from floor_items order by item_id');
  return rows.map(({ item_id: itemId }) => itemId);
};

/** The work of one item: one UPDATE in a transaction of its own. */
export const updateFloorItem = async (pool: pg.Pool, itemId: string): Promise<void> => {
  await pool.query("update floor_items set counter = counter + 1 where item_set = 'floor' and item_id = $1", [itemId]);
};

/** Every item was updated exactly once, or an Error: a floor that loses work is none. */
export const checkFloorItems = async (pool: pg.Pool): Promise<void> => {
  const { rows } = await pool.query<{ wrong: number }>('select count(*)::int as wrong from floor_items where counter <> 1');
  if (rows[0]?.wrong !== 0) throw new Error(`${rows[0]?.wrong} floor items were not updated exactly once`);
};
