// Picture URLs of a title: `Items/{id}/Images/{type}`, scaled by the server. An index of films and shows finds titles by ids, so
// that a wall of posters needs no lookups.
import type { PictureDefinition } from '@playhead/sdk'
import { part } from './dialect.ts'
import type { Session } from './session.ts'

const IMAGES = { poster: 'Primary', backdrop: 'Backdrop/0' } as const
const QUALITY = 90

export const pictureAddress: PictureDefinition<Session> = async (session, { type, ids, art, width }, signal) => {
  const { titles, dialect, upstream } = session
  await titles.ready(signal)
  let found = titles.find({ type, ids })
  if ('reason' in found) {
    await titles.refresh(signal)
    found = titles.find({ type, ids })
  }
  const id = 'reason' in found ? undefined : found.entries[0]?.id
  if (id === undefined) return undefined
  const query = dialect.spell({ maxWidth: width, quality: QUALITY })
  return { upstream, request: { path: `Items/${part(id)}/Images/${IMAGES[art]}`, query } }
}
