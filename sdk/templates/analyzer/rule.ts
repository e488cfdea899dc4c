// The rule for one item.

export interface Item {
  readonly key: string
  readonly title: string
  readonly year?: number
}

export interface Finding {
  readonly key: string
  readonly severity: 'info' | 'warn' | 'error'
  /** For display: what is wrong, and what to do. */
  readonly text: string
}

export function inspect({ key, title, year }: Item): readonly Finding[] {
  if (year !== undefined) return []
  return [
    {
      key,
      severity: 'warn',
      text: `"${title}" has no year. Add it, so that it is not mistaken for another title of the same name.`,
    },
  ]
}
