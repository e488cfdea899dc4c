// Stores the filters of a list in the address, so that Back, a reload and a shared address show the same list.
import { useMemo } from 'react'
import { useSearchParams } from 'wouter'

type Value = string | boolean | null
/** The accepted values, or a check. */
type Known = readonly string[] | ((value: string) => boolean)

const DAY = /^\d{4}-\d\d-\d\d$/

/** `2026-07-01`. */
export function isDay(value: string): boolean {
  return DAY.test(value) && !Number.isNaN(Date.parse(value))
}

/**
 * @param none the filters of an address without any; equal values are omitted from the address
 * @param known accepted values of a filter; other values count as not set
 */
export function useAddressFilters<Filters extends { readonly [name in keyof Filters]: Value }>(
  none: Filters,
  known: { readonly [name in keyof Filters]?: Known } = {},
): readonly [Filters, (next: Filters) => void] {
  const [params, setParams] = useSearchParams()
  const text = params.toString()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `none` and `known` are constants of the page
  const filters = useMemo(() => {
    const set = new URLSearchParams(text)
    return Object.fromEntries(
      Object.entries<Value>(none).map(([name, fallback]) => {
        const value = set.get(name)
        const allowed = known[name as keyof Filters]
        if (value === null || !isKnown(value, allowed)) return [name, fallback]
        return [name, typeof fallback === 'boolean' ? value === 'true' : value]
      }),
    ) as unknown as Filters
  }, [text])
  const setFilters = (next: Filters) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        for (const [name, value] of Object.entries<Value>(next)) {
          if (value === null || value === '' || value === none[name as keyof Filters]) after.delete(name)
          else after.set(name, String(value))
        }
        return after
      },
      { replace: true },
    )
  return [filters, setFilters]
}

function isKnown(value: string, known: Known | undefined): boolean {
  if (known === undefined) return true
  return typeof known === 'function' ? known(value) : known.includes(value)
}
