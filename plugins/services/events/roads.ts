// How many rows make which road to them the shorter one. Whatever the road, the rows are the same.
export const ROADS = {
  /** So many events may be looked at one by one; what is more is found by walking along the time. */
  few: 20_000,
  /** So many may be looked up when only their groups are wanted. */
  some: 100_000,
  /** What so many events have is not in most runs. */
  rare: 300_000,
  /** So few titles lead to what they name. */
  narrow: 2_000,
  /** So many are searched for once, and not in each statement. */
  known: 10_000,
}
