/** Computes a value when it is first asked for. */
export function onDemand<Value extends object>(compute: () => Value): () => Value {
  let value: Value | null = null;
  return () => (value ??= compute());
}
