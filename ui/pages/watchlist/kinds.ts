// Kinds of works in words.
import { watchlist } from '../../texts/en/watchlist.ts'

export function kindName(kind: string, form: 'kinds' | 'kindsMany' = 'kinds'): string {
  return (watchlist[form] as Readonly<Record<string, string>>)[kind] ?? kind
}
