// The order of services in the setup guide: popular services by rank, then the others by name.
interface Ranked {
  readonly label: string
  readonly popular: number | null
}

export function byPopularity(a: Ranked, b: Ranked): number {
  const [first, second] = [a.popular ?? Number.MAX_SAFE_INTEGER, b.popular ?? Number.MAX_SAFE_INTEGER]
  return first - second || a.label.localeCompare(b.label)
}
