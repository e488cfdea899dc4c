// Tautulli commands. The key is sent in the body, so that proxies do not log it.
import {
  type AccountContext,
  PlayheadError,
  type Static,
  type TSchema,
  type UpstreamAccount,
  type UpstreamRequest,
} from '@playhead/sdk'
import type { Profile } from './settings.ts'
import type { Answer } from './wire.ts'

const TRIES_IN_TIME = 3
const CONCURRENCY = 3
/** A page of a thousand plays. */
const MAX_BYTES = 32 * 1_024 * 1_024

/** @param address overrides the configured one */
export function openApi(account: AccountContext<Profile>, address = account.profile.server_url): UpstreamAccount {
  const { timeout, max_retries: retries, verify_ssl: verifyTls } = account.profile
  return account.upstream({
    baseUrl: address,
    // Time limit for all attempts of a request together.
    answerMs: timeout * 1_000,
    timeoutMs: timeout * 1_000 * TRIES_IN_TIME,
    tries: retries + 1,
    maxBytes: MAX_BYTES,
    verifyTls,
    limits: { concurrency: CONCURRENCY },
    headers: { 'user-agent': `Playhead/${account.ctx.host.version}` },
  })
}

export interface Command {
  readonly account: AccountContext<Profile>
  readonly api: UpstreamAccount
  readonly signal?: AbortSignal
}

interface AnswerOf<Data extends TSchema> {
  readonly response: { readonly result: 'success'; readonly data: Static<Data> } | { readonly result: 'error' }
}

/** Throws client errors, and `PLH_UPSTREAM` with status 400 for a failed command. */
export async function ask<Data extends TSchema>(
  { account, api, signal }: Command,
  cmd: string,
  parameters: Readonly<Record<string, string>>,
  schema: Answer<Data>,
): Promise<Static<Data>> {
  const request: UpstreamRequest = {
    method: 'POST',
    path: 'api/v2',
    form: { apikey: account.current().api_key, cmd, out_type: 'json', ...parameters },
    // All used commands only read.
    idempotent: true,
    signal,
  }
  const { response } = (await api.json(request, schema)) as AnswerOf<Data>
  if (response.result === 'success') return response.data
  throw new PlayheadError('PLH_UPSTREAM', `${account.name}: Tautulli refused ${cmd}.`, { details: { status: 400 } })
}
