/** One page as the API answers it. */
export interface Page<T> {
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
}

/**
 * Walks all pages of a list, asking for the next one only when its first element is wanted.
 *
 * The cursor is passed on as it came: its inside is none of ours.
 */
export async function* listAll<T>(fetchPage: (after: string | null) => Promise<Page<T>>): AsyncGenerator<T> {
  let after: string | null = null;
  do {
    const page: Page<T> = await fetchPage(after);
    yield* page.data;
    after = page.has_more ? page.next_cursor : null;
  } while (after !== null);
}
