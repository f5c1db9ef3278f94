/** Which of two is asked first: the first, unless it has failed lately. */
export interface Preference<Model> {
  /** Both, in the order in which to ask them now. */
  order(): readonly [preferred: Model, other: Model];
  failed(model: Model): void;
  answered(model: Model): void;
}

/** @param restMs for how long the first is not asked first after it has failed */
export function preferFirst<Model>(first: Model, second: Model, restMs: number): Preference<Model> {
  let restsUntilMs: number | null = null;
  const rest = () => {
    restsUntilMs = performance.now() + restMs;
  };
  return {
    order() {
      if (restsUntilMs === null) return [first, second];
      if (performance.now() < restsUntilMs) return [second, first];
      // One request finds out whether the first is back; others keep to the second meanwhile.
      rest();
      return [first, second];
    },
    failed(model) {
      if (model === first) rest();
      // Where both fail there is no reason to keep to the second.
      else restsUntilMs = null;
    },
    answered(model) {
      if (model === first) restsUntilMs = null;
    },
  };
}
