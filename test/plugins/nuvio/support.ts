// Shared by the tests of the Nuvio plugin: the plugin in a host, signed in at a stand-in.
import { definition } from '../../../plugins/providers/nuvio/index.ts'
import { nuvioSettings, nuvioTokens } from '../../stands/nuvio.ts'
import { type NuvioOptions, startNuvio } from '../../upstreams/nuvio.ts'
import { openBench, type SignInOptions, shippedManifest, UNUSED, withKit } from '../provider-bench.ts'

export { nuvioTokens as tokensOf } from '../../stands/nuvio.ts'
export { codeAndWireOf as codeOf, UNUSED } from '../provider-bench.ts'

export type Bench = Awaited<ReturnType<typeof startBench>>

export async function startBench({
  settings = {},
  signedIn = true,
  capabilities = UNUSED,
  clock,
  ...options
}: NuvioOptions & Omit<SignInOptions, 'ships'> = {}) {
  const nuvio = await startNuvio(options)
  const { plugin, kit } = withKit(definition)
  const manifest = shippedManifest('nuvio', undefined)
  const config = { ...nuvioSettings(nuvio), ...(signedIn ? nuvioTokens(nuvio) : {}) }
  return {
    ...(await openBench(nuvio, 'TVA', { plugin, manifest }, config, { settings, capabilities, clock })),
    nuvio,
    get kit() {
      return kit()
    },
  }
}
