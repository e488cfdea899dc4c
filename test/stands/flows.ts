// Sign-ins of several steps, as a client of Playhead's routes and the person at the service make them.
import { expectOk, type FlowClient, untilTrue } from './client.ts'

export const FLOW_STATES = ['pending', 'authorized', 'denied', 'expired', 'failed', 'missing'] as const
export type FlowState = (typeof FLOW_STATES)[number]

export interface Flow {
  /** `device_code`, … */
  readonly method: string
  /** The person comes over https. */
  readonly secure?: boolean
  /** Gives the code that is shown to the person. Throws when the flow cannot start. */
  start(client: FlowClient, instance: string): Promise<string>
  /** Absent: the status of the profile is all that clients see. */
  poll?(client: FlowClient, instance: string): Promise<FlowState>
  /** `disconnect`: no route is for that alone. */
  readonly cancel?: 'disconnect' | ((client: FlowClient, instance: string) => Promise<void>)
  /** The first person of the service says yes, unless another is named. */
  approve(code: string, name?: string): unknown
  deny?(code: string): unknown
  /** The code ends at the service. */
  expire?(code: string): unknown
}

/** Looks at the flow as a client does. */
export async function stateOf({ poll }: Flow, client: FlowClient, instance: string): Promise<FlowState> {
  if (poll !== undefined) return poll(client, instance)
  return (await client.configured(instance)) ? 'authorized' : 'pending'
}

/** Signs a profile in, from the start to the end. */
export async function signInBy(
  client: FlowClient,
  flow: Flow,
  { instance = 'default', name }: { readonly instance?: string; readonly name?: string | undefined } = {},
): Promise<void> {
  await flow.approve(await flow.start(client, instance), name)
  await untilTrue(flow.method, async () => (await stateOf(flow, client, instance)) === 'authorized', 60_000)
}

/** @param body what the person types before */
export async function codeOf(
  client: FlowClient,
  path: string,
  { member = 'user_code', body = {} }: { readonly member?: string; readonly body?: object } = {},
): Promise<string> {
  return String((await expectOk(client, path, body))[member])
}

export function stateNamed(name: unknown): FlowState | undefined {
  return FLOW_STATES.find((state) => state === name)
}

interface RedirectOptions {
  /** The route that names the page. */
  readonly start: string
  /** Path of the route that the browser comes back to. */
  readonly back: string
  readonly secure?: boolean
  /** The person says yes on the page at this address; gives where the browser is led. */
  approve(address: string, name?: string): string
}

/**
 * Over a page of the service: the browser is sent there, and comes back with a code or without one. Its code is the
 * address of the page; a look at the flow is the browser coming back.
 */
export function redirectFlow({ start, back, approve, secure = false }: RedirectOptions): Flow {
  const returns = new Map<string, string>()
  let latest = ''
  return {
    method: 'oauth',
    secure,
    async start(client, instance) {
      const body = { origin: `${secure ? 'https' : 'http'}://playhead.test` }
      latest = await codeOf(client, `${start}?instance=${instance}`, { member: 'authorize_url', body })
      return latest
    },
    async poll(client) {
      const address = returns.get(latest)
      if (address === undefined) return 'pending'
      returns.delete(latest)
      return (await client.json(address)).status === 200 ? 'authorized' : 'failed'
    },
    approve(address, name) {
      const { pathname, search } = new URL(approve(address, name))
      returns.set(address, pathname + search)
    },
    deny: (address) => void returns.set(address, `${back}?error=access_denied&${stateIn(address)}`),
    expire: (address) => void returns.set(address, `${back}?code=forgotten&${stateIn(address)}`),
  }
}

function stateIn(address: string): string {
  return `state=${encodeURIComponent(new URL(address).searchParams.get('state') ?? '')}`
}
