// Shows of TVDB and TMDB that are certainly the same: each is mapped to the other alone.
import type { Descriptor } from '../data/descriptor.ts'

interface ShowPair {
  readonly tvdb: string
  readonly tmdb: string
  /** Every mapped episode has the same season and number at both. */
  readonly sameNumbers: boolean
}

interface Known {
  readonly others: Set<string>
  sameNumbers: boolean
}

export function createPairs() {
  const ofTvdb = new Map<string, Known>()
  const ofTmdb = new Map<string, Known>()

  function note(known: Map<string, Known>, id: string, other: string, sameNumbers: boolean): void {
    const one = known.getOrInsertComputed(id, () => ({ others: new Set<string>(), sameNumbers: true }))
    one.others.add(other)
    one.sameNumbers &&= sameNumbers
  }

  return {
    add(a: Descriptor, b: Descriptor, hasSameRanges: boolean): void {
      if (a.kind !== 'show' || b.kind !== 'show') return
      const [tvdb, tmdb] = a.scheme === 'tvdb' ? [a, b] : [b, a]
      if (tvdb.scheme !== 'tvdb' || tmdb.scheme !== 'tmdb') return
      const isSame = hasSameRanges && a.scope === b.scope
      note(ofTvdb, tvdb.id, tmdb.id, isSame)
      note(ofTmdb, tmdb.id, tvdb.id, isSame)
    },
    found(): readonly ShowPair[] {
      const pairs: ShowPair[] = []
      for (const [tvdb, { others, sameNumbers }] of ofTvdb) {
        const tmdb = [...others][0] as string
        if (others.size === 1 && ofTmdb.get(tmdb)?.others.size === 1) pairs.push({ tvdb, tmdb, sameNumbers })
      }
      return pairs
    },
  }
}
