// Sign-in over a page of the service: the browser is redirected there, and returns with or without a code.
import type { FlowScript } from '@playhead/sdk/testing/conformance'
import { postOk } from './support.ts'

const HOST = '://playhead.test'

export interface RedirectOptions {
  /** The route that returns the address of the page. */
  readonly start: string
  /** Path of the redirect route. */
  readonly back: string
  /** The person uses https, which some services require. */
  readonly secure?: boolean
  /** The person consents on the page at this address; returns the redirect address. */
  approve(address: string): string
}

/** Its code is the address of the page; polling the flow is the browser's return. */
export function redirectFlow({ start, back, approve, secure = false }: RedirectOptions): FlowScript {
  const returns = new Map<string, string>()
  let latest = ''
  return {
    method: 'oauth',
    async start(host, instance) {
      const {
        ok,
        authorize_url: address,
        error,
      } = await postOk(host, `${start}?instance=${instance}`, { origin: `${secure ? 'https' : 'http'}${HOST}` }, secure)
      if (ok !== true) throw new Error(String(error))
      latest = String(address)
      return { code: latest }
    },
    async poll(host) {
      const address = returns.get(latest)
      if (address === undefined) return 'pending'
      returns.delete(latest)
      const { statusCode } = await host.inject(address)
      return statusCode === 200 ? 'authorized' : 'failed'
    },
    approve(address) {
      const { pathname, search } = new URL(approve(address))
      returns.set(address, pathname + search)
    },
    deny: (address) => void returns.set(address, `${back}?error=access_denied&${stateOf(address)}`),
    expire: (address) => void returns.set(address, `${back}?code=forgotten&${stateOf(address)}`),
  }
}

function stateOf(address: string): string {
  return `state=${encodeURIComponent(new URL(address).searchParams.get('state') ?? '')}`
}
