// Tautulli commands. The key is sent in the body, so that proxies do not log it.
import {
  type AccountContext,
  PlayheadError,
  type Static,
  type TSchema,
  type UpstreamAccount,
  type UpstreamRequest,
} from '@playhead/sdk'
import { serviceOptions } from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'
import type { Answer } from './wire.ts'

const CONCURRENCY = 3
/** A page of a thousand plays. */
const MAX_BYTES = 32 * 1_024 * 1_024

/** @param address overrides the configured one */
export function openApi(account: AccountContext<Profile>, address = account.profile.server_url): UpstreamAccount {
  return account.upstream({
    ...serviceOptions(account),
    baseUrl: address,
    maxBytes: MAX_BYTES,
    verifyTls: account.profile.verify_ssl,
    limits: { concurrency: CONCURRENCY },
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
