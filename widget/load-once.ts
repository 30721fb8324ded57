/**
 * A loader whose callers share one try and its result. A failed try is not kept: the next call after it tries again.
 */
export function loadOnce<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | undefined;
  return () => {
    loading ??= load().catch((failure) => {
      loading = undefined;
      throw failure;
    });
    return loading;
  };
}
