// When what changed last, as services tell it: names to times. Equal times mean that nothing happened in between.

/** `watched_at` and the like, to what the service wrote. */
export type Stamps = Readonly<Record<string, string>>

/**
 * The stamps that concern a feature; undefined when the service leaves one of them out, for then nothing can be told by
 * them.
 * @param names those that are needed
 * @param also those that count where there are any
 */
export function stampsFor(stamps: Stamps, names: readonly string[], also: readonly string[] = []): Stamps | undefined {
  if (names.some((name) => stamps[name] === undefined)) return undefined
  return Object.fromEntries(
    [...names, ...also].flatMap((name) => (stamps[name] === undefined ? [] : [[name, stamps[name]]])),
  )
}

/** The same names with the same times. */
export function sameStamps(a: Stamps, b: Stamps): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}
