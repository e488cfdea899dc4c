// Confirms writes whose response has no documented body.
import { PlayheadError } from '../../errors.ts'
import type { UpstreamAnswer } from '../../upstream.ts'

/**
 * Accepts an empty body or any JSON object. Throws `PLH_UPSTREAM_INVALID` otherwise: an HTML page of a proxy with a
 * success status proves nothing, and the outcome of the write is `unknown`.
 *
 * @param alsoFine other accepted bodies
 * @example
 * const answer = await upstream.request({ method: 'DELETE', path, accept: [404], idempotent: true, signal })
 * if (answer.status === 404) return { outcome: 'already' }
 * await readConfirmation(answer)
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
