// The addresses of pictures of a title; null where there are none.
import { useCallback } from 'react'
import { useRead } from '../../api/query.ts'

export interface Pictured {
  /** `movie`, or anything of a show. */
  readonly kind: string
  readonly ids: Readonly<Record<string, string>>
}

export type PictureOf = (title: Pictured, size: string, art?: 'poster' | 'backdrop') => string | null

const FRESH_MS = 60_000

export function usePictures(): PictureOf {
  const { data } = useRead(['watchlist', 'metadata'], 'GET /api/metadata/providers', undefined, { staleTime: FRESH_MS })
  const isReady = data?.some(({ ready }) => ready) ?? false
  return useCallback(
    ({ kind, ids }, size, art = 'poster') => {
      const { tmdb } = ids
      if (!isReady || tmdb === undefined) return null
      return `/art/metaA/${kind === 'movie' ? 'movie' : 'tv'}/${tmdb}?size=${size}${art === 'poster' ? '' : `&kind=${art}`}`
    },
    [isReady],
  )
}

export function titleAddress(key: string): string {
  return `/library/${encodeURIComponent(key)}`
}
