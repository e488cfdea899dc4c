// Commands to Tautulli. The key goes into the body, where no proxy writes it down.
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
const AT_ONCE = 3
/** A page of a thousand plays with everything that Tautulli knows of them. */
const MOST_BYTES = 32 * 1_024 * 1_024

/** @param address another than the one in the settings */
export function openApi(account: AccountContext<Profile>, address = account.profile.server_url): UpstreamAccount {
  const { timeout, max_retries: retries, verify_ssl: verifyTls } = account.profile
  return account.upstream({
    baseUrl: address,
    // For all tries of a request together.
    answerMs: timeout * 1_000,
    timeoutMs: timeout * 1_000 * TRIES_IN_TIME,
    tries: retries + 1,
    maxBytes: MOST_BYTES,
    verifyTls,
    limits: { concurrency: AT_ONCE },
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

/** Throws what the client throws, and `PLH_UPSTREAM` with status 400 where Tautulli says that it could not do it. */
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
    // All commands that are used read.
    idempotent: true,
    ...(signal === undefined ? {} : { signal }),
  }
  const { response } = (await api.json(request, schema)) as AnswerOf<Data>
  if (response.result === 'success') return response.data
  throw new PlayheadError('PLH_UPSTREAM', `${account.name}: Tautulli refused ${cmd}.`, { details: { status: 400 } })
}
