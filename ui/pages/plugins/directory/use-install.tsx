// Installs or updates a plugin of the directory: a version that asks for something new is reviewed first.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../../../api/client.ts'
import type { ApiError } from '../../../api/error.ts'
import { notifyDone, notifyFailure } from '../../../parts/dialogs/notify.ts'
import { directory as texts } from '../../../texts/en/directory.ts'
import { say } from '../../../texts/say.ts'
import { ReviewDialog, reviewOf, type Reviewed } from '../review.tsx'
import type { Listing } from './data.ts'

export interface Install {
  /** @param version default: the newest that works here */
  readonly start: (version?: string) => void
  readonly isPending: boolean
  /** The review, while it is open. */
  readonly dialog: ReactNode
}

export function useInstall({ id, name, folder }: Pick<Listing, 'id' | 'name' | 'folder'>): Install {
  const client = useQueryClient()
  const [reviewed, setReviewed] = useState<Reviewed | null>(null)
  const install = useMutation<Reviewed | null, ApiError, string | undefined>({
    mutationFn: async (version) => {
      if (folder !== null) {
        const found = await api('POST /api/plugin-folders', { body: { folder } })
        return { ...found, of: 'folder', from: null }
      }
      const done = await api('POST /api/directory/{id}/install', {
        params: { id },
        body: version === undefined ? {} : { version },
      })
      if (done.state === 'review') {
        const { package: found } = await api('GET /api/plugin-packages/{id}', { params: { id } })
        const review = reviewOf(found)
        return review === null ? null : { ...review, name }
      }
      if (done.state === 'newest') notifyDone(say(texts.newest, { name, version: done.version }))
      else if (done.ok) notifyDone(say(texts.updated, { name, version: done.version }))
      else notifyFailure(new Error(say(texts.notUpdated, { name })))
      return null
    },
    onSuccess: setReviewed,
    onError: (error) => notifyFailure(error),
    onSettled: () => client.invalidateQueries({ queryKey: ['plugins'] }),
  })
  return {
    start: (version) => install.mutate(version),
    isPending: install.isPending,
    dialog: reviewed === null ? null : <ReviewDialog reviewed={reviewed} onClose={() => setReviewed(null)} />,
  }
}
