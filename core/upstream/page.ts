// Detects a web page in place of a response for programs: a browser check ("Just a moment..."), a sign-in page of a
// proxy, a captive portal. It does not affect the credential. With a success status, the JSON parser detects it.
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib'
import type { ResponseBody } from './exchange.ts'
import type { Incoming } from './send.ts'

/** Statuses that would be taken for the service's own verdict. Other statuses with a page come from a broken gateway. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 503])
const PEEKED_BYTES = 16 * 1024
const MAX_DECODED_BYTES = 1024 * 1024

interface PageOptions {
  /** Headers of the request, lower-case names. */
  readonly sent: Readonly<Record<string, string>>
  /** Statuses for which the service itself sends pages. */
  readonly ownPages: readonly number[]
}

interface Checked {
  readonly isPage: boolean
  /** Use it instead of `incoming.body`. */
  readonly body: ResponseBody
}

/** Undefined if the head already shows that the response is not a page. */
export function checkForPage(
  { status, method, headers, hints, body }: Incoming,
  { sent, ownPages }: PageOptions,
): Promise<Checked> | undefined {
  if (!REFUSALS.has(status)) return undefined
  // A request for something other than data may well get a page.
  if (!/\bjson\b/i.test(sent['accept'] ?? '')) return undefined
  if (isChallenge(headers)) return Promise.resolve({ isPage: true, body })
  const type = headers['content-type']
  const isHtml = isHtmlType(type)
  if (method === 'HEAD' || !(isHtml || type === undefined)) return undefined
  // A server that is starting or in maintenance sends a retry time.
  if (status === 503 && hints.retryAfterMs !== undefined) return undefined

  return peek(body).then(({ start, body: whole }) => {
    const text = decoded(start, headers['content-encoding'])
    const isPage = text === undefined ? isHtml : looksLikePage(text)
    return { isPage: isPage && (!ownPages.includes(status) || isBrowserCheck(text ?? '')), body: whole }
  })
}

/** https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/ */
export function isChallenge(headers: Readonly<Record<string, string>>): boolean {
  return headers['cf-mitigated'] === 'challenge'
}

export function isHtmlType(type: string | undefined): boolean {
  return /^\s*(?:text\/html|application\/xhtml)/i.test(type ?? '')
}

export function looksLikePage(text: string): boolean {
  return /^\uFEFF?\s*(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta|script)\b/i.test(text)
}

function isBrowserCheck(text: string): boolean {
  return /\/cdn-cgi\/|challenge-platform|cf-chl|captcha/i.test(text)
}

function decoded(start: Buffer, encoding: string | undefined): string | undefined {
  const flushed = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_DECODED_BYTES }
  try {
    switch (encoding?.trim().toLowerCase()) {
      case undefined:
      case '':
      case 'identity':
        return start.toString()
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(start, flushed).toString()
      case 'deflate':
        return inflateSync(start, flushed).toString()
      case 'br':
        return brotliDecompressSync(start, {
          finishFlush: constants.BROTLI_OPERATION_FLUSH,
          maxOutputLength: MAX_DECODED_BYTES,
        }).toString()
      default:
        return undefined
    }
  } catch {
    return undefined
  }
}

/** Reads the first bytes, and returns a body that still has them. */
function peek(source: ResponseBody): Promise<{ readonly start: Buffer; readonly body: ResponseBody }> {
  const kept: Buffer[] = []
  let bytes = 0
  let over: { readonly error?: Error } | undefined
  let reader: Parameters<ResponseBody['read']>[0] | undefined
  const body: ResponseBody = {
    read(given) {
      const before = over
      reader = given
      let wantsMore = true
      for (const chunk of kept.splice(0)) wantsMore = given.data(chunk)
      if (before !== undefined) {
        if (before.error === undefined) given.end()
        else given.fail(before.error)
      } else if (over === undefined && wantsMore) source.resume()
    },
    resume: () => source.resume(),
    abort: () => source.abort(),
    onClose: (listener) => source.onClose(listener),
  }
  return new Promise((resolve) => {
    const give = () => resolve({ start: Buffer.concat(kept), body })
    source.read({
      data(chunk) {
        if (reader !== undefined) return reader.data(chunk)
        kept.push(chunk)
        bytes += chunk.length
        if (bytes < PEEKED_BYTES) return true
        give()
        return false
      },
      end() {
        over = {}
        if (reader === undefined) give()
        else reader.end()
      },
      fail(error) {
        over = { error }
        if (reader === undefined) give()
        else reader.fail(error)
      },
    })
  })
}
