// Responses to webhooks: status and body.
import { defined, type PlaybackDecision, type WebhookAccess, type WebhookBodyFailure } from '@playhead/sdk'

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

const OK = 200
const UNAUTHORIZED = 401
const UNAVAILABLE = 503
const ALL_FAILED = 502

type AccessRefusal = Extract<WebhookAccess, { readonly ok: false }>['reason']

export function refused(reason: AccessRefusal): Answer {
  // A request with a wrong secret does not come from the media server.
  if (reason === 'invalid_webhook_token') return { status: UNAUTHORIZED, body: { detail: reason } }
  return { status: OK, body: { ok: true, ignored: true, reason, error: reason } }
}

export function failedBody(reason: WebhookBodyFailure): Answer {
  return {
    status: OK,
    body: {
      ok: true,
      ignored: true,
      reason,
      error: reason,
      ...(reason === 'parse_error'
        ? { detail: 'The body is not JSON. In a template, quote values such as True.' }
        : {}),
    },
  }
}

/** Reports that the provider ignores. */
export function ignored(reason: string): Answer {
  const isFailure = reason === 'invalid_signature' || reason === 'parse_error'
  return { status: OK, body: { ok: true, ignored: true, reason, ...(isFailure ? { error: reason } : {}) } }
}

export function internal(): Answer {
  return { status: OK, body: { ok: false, error: 'internal', reason: 'internal' } }
}

/** For a request that the host delivers later, so that the host delivers it again. */
export function notReady(): Answer {
  return { status: UNAVAILABLE, body: { ok: false, error: 'internal', reason: 'internal' } }
}

export function decided({
  action,
  ignored: isIgnored,
  dedup,
  debounced,
  suppressed,
  reason,
  progress,
  targets,
}: PlaybackDecision): Answer {
  const ok = targets.length === 0 || targets.some((target) => target.ok)
  const error = ok ? undefined : targets.find((target) => target.error !== undefined)?.error
  return {
    status: OK,
    body: {
      ok,
      ...(isIgnored === true ? { ignored: true } : {}),
      ...(dedup === true ? { dedup: true } : {}),
      ...(debounced === true ? { debounced: true } : {}),
      ...(suppressed === true ? { suppressed: true } : {}),
      ...defined({ action }),
      status: ok ? OK : ALL_FAILED,
      targets,
      activity_recorded: targets.some((target) => target.ok && target.skipped !== true && target.ignored !== true),
      ...defined({ reason, error, progress }),
    },
  }
}
