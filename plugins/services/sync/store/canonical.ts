// JSON with sorted fields: equal values are equal texts.
import { isRecord } from '@playhead/sdk/items'

export function jsonText(value: unknown): string {
  const sorted = (_name: string, each: unknown) =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each
  return JSON.stringify(value, sorted) ?? 'null'
}
