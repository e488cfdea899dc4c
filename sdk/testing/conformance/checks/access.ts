// Checks of expired tokens and of undeclared hosts.
import { providerCapability } from '../../../provider/contract.ts'
import { startServer } from '../../server.ts'
import type { Check, Subject } from '../contract.ts'
import { always, failed, featuresOf, hasCode, must, needsService, textOf } from './support.ts'

/** The year 2001: seconds that were mistaken for milliseconds are earlier. */
const FIRST_END_MS = 1e12
const LONGEST_MS = 10 * 366 * 86_400_000

const yearOf = (ms: number): number | string =>
  Math.abs(ms) > 8.64e15 ? 'far beyond all calendars' : new Date(ms).getUTCFullYear()

const expires = ({ can }: Subject): true | string => can.expire || 'its credentials do not expire'

export const access: readonly Check[] = [
  {
    id: 'refresh.once',
    group: 'refresh',
    title: 'however many ask with an expired token, it is refreshed once',
    points: 3,
    applies: expires,
    async run(subject) {
      await using bench = await subject.open()
      const features = featuresOf(subject)
      await bench.simulator.expire?.(0)
      const before = bench.requests().length
      const reads = await Promise.all([...features, ...features, ...features].map((feature) => bench.tryRead(feature)))
      const broken = reads.find(failed)
      must(broken === undefined, `a read threw ${textOf(broken?.error)}`)
      const refreshes = bench
        .requests()
        .slice(before)
        .filter((request) => bench.simulator.isRefresh?.(request)).length
      must(refreshes === 1, `it was refreshed ${refreshes} times`)
      return undefined
    },
  },
  {
    id: 'refresh.kept',
    group: 'refresh',
    title: 'a refreshed token is stored, and used after a reload',
    points: 2,
    applies: expires,
    async run(subject) {
      await using bench = await subject.open()
      const [feature = 'history'] = featuresOf(subject)
      await bench.simulator.expire?.(0)
      await bench.read(feature)
      await bench.host.reload()
      const before = bench.requests().length
      await bench.read(feature)
      const again = bench
        .requests()
        .slice(before)
        .filter((request) => bench.simulator.isRefresh?.(request)).length
      must(again === 0, 'it was refreshed again')
      const { status } = await bench.provider.probe('default')
      must(status === 'ok', `the probe says ${status}`)
      return undefined
    },
  },
  {
    id: 'refresh.failing',
    group: 'refresh',
    title: 'a refresh that fails temporarily signs no account out',
    points: 2,
    applies: expires,
    async run(subject) {
      await using bench = await subject.open()
      const [feature = 'history'] = featuresOf(subject)
      await bench.simulator.expire?.(0)
      bench.fault({ kind: 'status', status: 500, match: (request) => bench.simulator.isRefresh?.(request) === true })
      const read = await bench.tryRead(feature)
      must(failed(read) || !read.end.complete, 'the read is complete without a token')
      bench.clearFaults()
      bench.clock.advance(3_600_000)
      const { status } = await bench.provider.probe('default')
      must(status === 'ok', `when the service is well again the probe says ${status}`)
      return undefined
    },
  },
  {
    id: 'refresh.same-account',
    group: 'refresh',
    title: 'a refreshed token is the same account',
    applies: expires,
    async run(subject) {
      await using bench = await subject.open()
      const before = await bench.provider.probe('default')
      const [profile] = await bench.provider.profiles()
      await bench.simulator.expire?.(0)
      const after = await bench.provider.probe('default')
      must(after.account === before.account, `the account was ${before.account} and is ${after.account}`)
      must(
        (await bench.provider.profiles())[0]?.fingerprint === profile?.fingerprint,
        'the fingerprint of the profile changed',
      )
      return undefined
    },
  },
  {
    id: 'refresh.again',
    group: 'refresh',
    title: 'a token that was refreshed can be refreshed again, also after a reload',
    points: 2,
    applies: expires,
    async run(subject) {
      await using bench = await subject.open()
      const [feature = 'history'] = featuresOf(subject)
      for (const turn of ['first', 'second', 'third']) {
        await bench.simulator.expire?.(0)
        const read = await bench.tryRead(feature)
        must(
          !failed(read) && read.end.complete,
          `after the ${turn} expiry ${failed(read) ? textOf(read.error) : 'the read is not complete'}`,
        )
        if (turn === 'second') await bench.host.reload()
      }
      return undefined
    },
  },
  {
    id: 'refresh.not-early',
    group: 'refresh',
    title: 'a token that is good is not refreshed',
    points: 2,
    applies: expires,
    async run(subject) {
      await using bench = await subject.open()
      const before = bench.requests().length
      for (const feature of featuresOf(subject)) await bench.read(feature)
      await bench.provider.probe('default')
      const refreshes = bench
        .requests()
        .slice(before)
        .filter((request) => bench.simulator.isRefresh?.(request)).length
      must(
        refreshes === 0,
        `it was refreshed ${refreshes} times; expires_at is in seconds, expiresAtMs in milliseconds`,
      )
      return undefined
    },
  },
  {
    id: 'refresh.end',
    group: 'refresh',
    title: 'the end of a credential is a time within ten years: expires_at is in epoch seconds',
    points: 2,
    applies: always,
    async run(subject) {
      await using bench = await subject.open()
      const look = async (when: string) => {
        const [profile] = await bench.provider.profiles()
        const endsAtMs = profile?.credentialEndsAtMs
        if (endsAtMs === undefined) return
        must(
          endsAtMs > FIRST_END_MS && endsAtMs < Date.now() + LONGEST_MS,
          `${when} the credential ends in the year ${yearOf(endsAtMs)}`,
        )
      }
      await look('after the sign-in')
      const [feature] = featuresOf(subject)
      if (bench.simulator.expire === undefined || feature === undefined) return undefined
      await bench.simulator.expire(0)
      await bench.tryRead(feature)
      await look('after a refresh')
      return undefined
    },
  },
  {
    id: 'hosts.declared',
    group: 'hosts',
    title: 'it names the hosts that it reaches',
    applies: needsService,
    async run({ manifest }) {
      const hosts = manifest.needs?.hosts ?? []
      must(hosts.length > 0, 'plugin.json names no host')
      must(
        hosts.every((host) => !/^\*?\.?$|^\*\.[a-z]+$/.test(host)),
        'plugin.json asks for every host',
      )
      return undefined
    },
  },
  {
    id: 'hosts.refused',
    group: 'hosts',
    title: 'it reaches no host beside those of plugin.json',
    points: 3,
    applies: needsService,
    async run(subject) {
      await using bench = await subject.open()
      const host = await bench.elsewhere([])
      const provider = host.capability(providerCapability(subject.description.id)) as unknown as typeof bench.provider
      const before = bench.requests().length
      for (const feature of featuresOf(subject)) {
        const parts = await Array.fromAsync(provider.read('default', { feature })).catch((error: unknown) => ({
          error,
        }))
        must(
          'error' in parts || parts.every((part) => part.type !== 'end' || !part.end.complete),
          `${feature}: the read is complete`,
        )
      }
      await provider.probe('default')
      must(
        bench.requests().length === before,
        `it reached the service ${bench.requests().length - before} times without being allowed to`,
      )
      return undefined
    },
  },
  {
    id: 'hosts.redirect',
    group: 'hosts',
    title: 'it follows no redirect to another host',
    points: 3,
    applies: needsService,
    async run(subject) {
      await using elsewhere = await startServer(() => ({ json: [] }))
      for (const feature of featuresOf(subject)) {
        await using bench = await subject.open()
        await bench.simulator.seed(0, feature, 3)
        bench.fault({ kind: 'status', status: 302, headers: { location: `${elsewhere.url}/there` } })
        const read = await bench.tryRead(feature)
        must(failed(read) || !read.end.complete, `${feature}: the read is complete`)
        must(!failed(read) || !hasCode(read.error, 'PLH_NOT_READY'), `${feature}: the redirect signed the profile out`)
      }
      must(elsewhere.requests.length === 0, `the other host was asked ${elsewhere.requests.length} times`)
      return undefined
    },
  },
]
