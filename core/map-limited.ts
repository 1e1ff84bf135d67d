/**
 * Maps items in order, at most `limit` at once. After an error it starts no more, waits for the running ones and
 * throws.
 */
export async function mapLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let failed = false;
  const work = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const index = next++;
      const item = items[index];
      if (item === undefined) continue;
      try {
        results[index] = await map(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: limit }, work));
  const first = workers.find((worker) => worker.status === 'rejected');
  if (first) throw first.reason;
  return results;
}
