// Checks of a provider's description, and of its behaviour before sign-in.
import { FEATURES } from '../../../provider/features.ts'
import type { Check, Subject } from '../contract.ts'
import { always, featuresOf, hasCode, must, textOf, thrownBy } from './support.ts'

const group = 'basics'
const signsIn = ({ can }: Subject): true | string => !can.local || 'it works without a sign-in'

export const basics: readonly Check[] = [
  {
    id: 'basics.describes',
    group,
    title: 'it describes itself as plugin.json does',
    applies: always,
    async run({ description, manifest: { provider, version } }) {
      for (const name of ['id', 'token', 'label'] as const)
        must(
          description[name] === provider?.[name],
          `${name} is "${description[name]}", plugin.json says "${provider?.[name]}"`,
        )
      must(description.version === version, `its version is ${description.version}, plugin.json says ${version}`)
      return undefined
    },
  },
  {
    id: 'basics.features',
    group,
    title: 'every feature that it has can be read, and says which kinds it takes',
    applies: always,
    async run({ description: { features } }) {
      const names = Object.keys(features)
      must(names.length > 0, 'it has no features')
      for (const name of names) {
        const support = features[name as keyof typeof features]
        must((FEATURES as readonly string[]).includes(name), `there is no feature "${name}"`)
        if (support === undefined) continue
        must(support.read || support.add || support.remove, `${name}: nothing can be done with it`)
        must(support.kinds.length > 0, `${name}: it takes no kind`)
        must(!support.update || support.add, `${name}: it can update and not add`)
        must((support.maxBatch ?? 1) >= 1, `${name}: its largest batch is ${support.maxBatch}`)
      }
      return undefined
    },
  },
  {
    id: 'basics.fields',
    group,
    title: 'the fields of its sign-in are settings of its own section',
    applies: always,
    async run({ description: { token, signIn } }) {
      for (const { key, type } of signIn.fields) {
        must(key.startsWith(`${token}.`), `the field ${key} is not below "${token}"`)
        must(
          !/pass(word)?$|token$|secret$|api_key$/.test(key) || type === 'password',
          `the field ${key} is shown while it is typed`,
        )
      }
      return undefined
    },
  },
  {
    id: 'basics.default-profile',
    group,
    title: 'its first profile is "default", and is not configured without a sign-in',
    applies: signsIn,
    async run(subject) {
      await using bench = await subject.open({ signedIn: false })
      const [first] = await bench.provider.profiles()
      must(first?.id === 'default', `the first profile is ${first?.id}`)
      must(!first.configured, 'it says that it is configured')
      return undefined
    },
  },
  {
    id: 'basics.unconfigured',
    group,
    title: 'without a sign-in it reads and writes nothing, and says so',
    points: 2,
    applies: signsIn,
    async run(subject) {
      await using bench = await subject.open({ signedIn: false })
      for (const feature of featuresOf(subject)) {
        const error = await thrownBy(() => bench.read(feature))
        must(error !== undefined, `${feature}: the read answered`)
        must(hasCode(error, 'PLH_NOT_READY'), `${feature}: the read threw ${textOf(error)}, not PLH_NOT_READY`)
        if (subject.description.features[feature]?.add !== true) continue
        const refused = await thrownBy(async () => bench.write(feature, 'add', await bench.simulator.fresh(feature, 1)))
        must(hasCode(refused, 'PLH_NOT_READY'), `${feature}: the write gave ${textOf(refused)}, not PLH_NOT_READY`)
      }
      must(bench.requests().length === 0, 'it asked the service')
      return undefined
    },
  },
  {
    id: 'basics.unconfigured-probe',
    group,
    title: 'without a sign-in a probe says that it is not configured',
    applies: signsIn,
    async run(subject) {
      await using bench = await subject.open({ signedIn: false })
      const { status } = await bench.provider.probe('default')
      must(status === 'not_configured', `the probe says ${status}`)
      return undefined
    },
  },
  {
    id: 'basics.probes',
    group,
    title: 'its probes find the service as they expect it, with one reading request each',
    points: 2,
    applies: ({ description }) => description.probes === true || 'it has no probes',
    async run(subject) {
      await using bench = await subject.open()
      for (const feature of featuresOf(subject)) await bench.simulator.seed(0, feature, 5)
      await bench.provider.probe('default')
      const before = bench.requests().length
      const looks = (await bench.provider.lookAtContract?.('default')) ?? []
      const sent = bench.requests().slice(before)
      for (const { about, differences } of looks) {
        must(differences !== null, `${about}: there is no answer. Ask for an address that the stand-in has`)
        const [first] = differences
        must(
          first === undefined,
          `${about}: it expects what the service does not send: ${JSON.stringify(first)}. Declare only what every answer has`,
        )
      }
      must(!sent.some(bench.isWrite), 'a probe writes')
      must(
        sent.length <= looks.length,
        `${looks.length} probes sent ${sent.length} requests. Ask for one page, and keep who it is from the probe of the account`,
      )
      return undefined
    },
  },
  {
    id: 'basics.unsupported',
    group,
    title: 'a feature that it does not have cannot be read or written',
    applies: ({ description }) =>
      FEATURES.some((feature) => description.features[feature] === undefined) || 'it has all features',
    async run(subject) {
      await using bench = await subject.open()
      for (const feature of FEATURES.filter((name) => subject.description.features[name] === undefined)) {
        const error = await thrownBy(() => bench.read(feature))
        must(hasCode(error, 'PLH_UNSUPPORTED'), `${feature}: the read gave ${textOf(error)}, not PLH_UNSUPPORTED`)
        const refused = await thrownBy(() => bench.write(feature, 'add', []))
        must(hasCode(refused, 'PLH_UNSUPPORTED'), `${feature}: the write gave ${textOf(refused)}, not PLH_UNSUPPORTED`)
      }
      return undefined
    },
  },
]
