/** The response of the route, which the page shows. */
export interface Month {
  readonly month: string
  readonly changes: number
}

export function monthOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 7)
}
