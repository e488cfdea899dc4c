// Writes whose answer says no more than that they were done.
import { PlayheadError } from '../../errors.ts'
import type { UpstreamAnswer } from '../../upstream.ts'

/**
 * Reads the answer to a write of which only the status is documented: nothing, or a JSON object of which nothing is
 * read. Throws `PLH_UPSTREAM_INVALID` for anything else: a page that somebody in between sends with a status of success
 * is no proof that the service did anything, and the outcome of such a write is `unknown`.
 *
 * @param alsoFine what else the service may say, where it has answers of another kind
 * @example const answer = await upstream.request({ method: 'DELETE', path: `/playback/${id}`, accept: [404],
 * idempotent: true, signal }) if (answer.status === 404) return { outcome: 'already' } await readConfirmation(answer)
 * return { outcome: 'applied' }
 */
export async function readConfirmation(answer: UpstreamAnswer, alsoFine?: RegExp): Promise<void> {
  const text = (await answer.text()).trim()
  if (text === '' || alsoFine?.test(text) === true) return
  if (!text.startsWith('{') || !isObject(text)) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'A write was not confirmed in a way that can be understood.')
  }
}

function isObject(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
