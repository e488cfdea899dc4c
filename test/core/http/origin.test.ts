// Recognises requests from our own pages.
import t from 'tap'
import { isSameOrigin, isSameOriginNavigation } from '../../../core/http/access/origin.ts'
import { isOwnHost } from '../../../core/http/access/own-host.ts'

const PLAIN = { address: '192.0.2.1', secure: false, host: 'nas.example:8787', proxied: false }
const TLS = { ...PLAIN, secure: true, host: 'playhead.example' }
const PROXIED = { ...PLAIN, host: 'playhead.example', proxied: true }
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' }

type Row = readonly [what: string, headers: Record<string, string>, client: typeof PLAIN, same: boolean]

const ROWS: readonly Row[] = [
  ['our page says so itself', { 'sec-fetch-site': 'same-origin' }, PLAIN, true],
  ['the address bar is the user', { 'sec-fetch-site': 'none' }, PLAIN, true],
  ['a neighbouring subdomain is a stranger', { 'sec-fetch-site': 'same-site' }, PLAIN, false],
  ['a foreign page is a stranger', { 'sec-fetch-site': 'cross-site' }, PLAIN, false],
  ['an unknown word is no permission', { 'sec-fetch-site': 'whatever' }, PLAIN, false],
  [
    'a matching origin does not outweigh it',
    { 'sec-fetch-site': 'cross-site', origin: 'http://nas.example:8787' },
    PLAIN,
    false,
  ],
  [
    'nor does a host that a proxy rewrote',
    { 'sec-fetch-site': 'same-origin', origin: 'https://playhead.example' },
    PLAIN,
    true,
  ],
  ['a program sends nothing', {}, PLAIN, true],
  ['the origin is ours', { origin: 'http://nas.example:8787' }, PLAIN, true],
  ['letter case does not matter', { origin: 'http://NAS.example:8787' }, PLAIN, true],
  ['another port is another origin', { origin: 'http://nas.example:9999' }, PLAIN, false],
  ['another host is another origin', { origin: 'http://nas.example.attacker.example:8787' }, PLAIN, false],
  ["the null origin is nobody's", { origin: 'null' }, PLAIN, false],
  ["an unreadable origin is nobody's", { origin: 'http://' }, PLAIN, false],
  ['another scheme is another origin', { origin: 'https://nas.example:8787' }, PLAIN, false],
  ['a plain page is not the secure one', { origin: 'http://playhead.example' }, TLS, false],
  [
    'default ports need not be written',
    { origin: 'https://playhead.example' },
    { ...TLS, host: 'playhead.example:443' },
    true,
  ],
  ['a trusted proxy may end TLS without saying so', { origin: 'https://playhead.example' }, PROXIED, true],
  ['but not for another host', { origin: 'https://attacker.example' }, PROXIED, false],
  ['the referrer stands in for the origin', { referer: 'http://nas.example:8787/settings?x=1' }, PLAIN, true],
  ['a foreign referrer is foreign', { referer: 'http://attacker.example/http://nas.example:8787' }, PLAIN, false],
  [
    'a matching referrer does not help',
    { origin: 'http://attacker.example', referer: 'http://nas.example:8787/' },
    PLAIN,
    false,
  ],
  ['a file is no page of ours', { origin: 'file://' }, PLAIN, false],
  ['without a host nothing can match', { origin: 'http://nas.example:8787' }, { ...PLAIN, host: '' }, false],
]

for (const [what, headers, client, same] of ROWS) {
  t.test(what, async (t) => t.equal(isSameOrigin(headers, client, { strict: false }), same))
}

t.test('strict rules refuse only requests without information', async (t) => {
  t.equal(isSameOrigin({}, PLAIN, { strict: true }), false)
  t.equal(isSameOrigin({ origin: 'http://nas.example:8787' }, PLAIN, { strict: true }), true)
})

t.test("a link that a browser follows without a referrer is not ours; a program's request is", async (t) => {
  t.equal(isSameOriginNavigation(BROWSER, PLAIN, { strict: false }), false)
  t.equal(isSameOriginNavigation({ ...BROWSER, referer: 'http://nas.example:8787/' }, PLAIN, { strict: false }), true)
  t.equal(isSameOriginNavigation({ 'user-agent': 'curl/8.5.0' }, PLAIN, { strict: false }), true)
  t.equal(
    isSameOriginNavigation({ 'user-agent': 'curl/8.5.0', origin: 'http://attacker.example' }, PLAIN, { strict: false }),
    false,
  )
})

const HOSTS: readonly (readonly [host: string, own: boolean])[] = [
  ['127.0.0.1', true],
  ['192.168.1.5:8787', true],
  ['[::1]', true],
  ['[fe80::1]:8787', true],
  ['localhost', true],
  ['localhost:8787', true],
  ['nas', true],
  ['playhead:8787', true],
  ['nas.local', true],
  ['a.b.internal', true],
  ['x.home.arpa', true],
  ['x.localhost', true],
  ['', true],
  ['allowed.example', true],
  ['allowed.example.:8787', true],
  ['deep.wild.example', true],
  ['attacker.example', false],
  ['127.0.0.1.attacker.example', false],
  ['local.attacker.example', false],
  ['wild.example', false],
  ['notallowed.example', false],
  ['allowed.example@attacker', false],
  ['a b', false],
  ['[::1', false],
  ['nas:port', false],
  ['notlocal', true],
  ['attacker.notlocal', false],
]

for (const [host, own] of HOSTS) {
  t.test(`"${host}" ${own ? 'may be' : 'is not'} a name of ours`, async (t) => {
    t.equal(isOwnHost(host, ['allowed.example', '*.wild.example']), own)
  })
}
