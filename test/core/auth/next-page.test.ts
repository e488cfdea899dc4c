// The page after login always belongs to this service.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { nextPage } from '../../../core/auth/next-page.ts'

const HONOURED = [
  '/',
  '/docs',
  '/docs?x=1',
  '/watchlist#top',
  '/a/../b',
  '/loginx',
  '/search?q=/login',
  '/?next=/logout',
  '/@attacker.example',
  '/%2F%2Fattacker.example',
]

const REFUSED: readonly unknown[] = [
  undefined,
  null,
  7,
  ['/docs'],
  '',
  'docs',
  'https://attacker.example/',
  '//attacker.example',
  '///attacker.example',
  '/\\attacker.example',
  '\\/attacker.example',
  '/\t/attacker.example',
  '/\n/attacker.example',
  '\t//attacker.example',
  ' //attacker.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '/a\\b',
  '/docs\u0000',
  '/login',
  '/login?next=/x',
  '/login/',
  '/login#x',
  '/LOGIN',
  '/logout',
  '/logout?x',
  '/./login',
  '/x/../logout',
  '/.//login',
  '/api/app-auth/logout',
  '/api',
  '/webhook/mediaA',
  '/callback',
  `/${'x'.repeat(3000)}`,
]

for (const wish of HONOURED) t.test(`redirects to ${wish}`, async (t) => t.equal(nextPage(wish), wish))
for (const wish of REFUSED) {
  t.test(`redirects home instead of to ${JSON.stringify(wish)?.slice(0, 60)}`, async (t) =>
    t.equal(nextPage(wish), '/'),
  )
}

t.test('no text leads to another host or signs out again', async (t) => {
  const part = fc.constantFrom(
    '/',
    '//',
    '\\',
    '..',
    '.',
    '@',
    ':',
    '\t',
    '\n',
    ' ',
    '?',
    '#',
    'http:',
    'https:',
    'javascript:',
    'attacker.example',
    'login',
    'logout',
    'api',
    '%2f',
    '%5c',
  )
  const mixture = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''))
  const wish = fc.oneof(
    fc.string(),
    fc.webUrl(),
    mixture,
    mixture.map((text) => `/${text}`),
  )

  t.doesNotThrow(() =>
    fc.assert(
      fc.property(wish, (text) => {
        const url = new URL(nextPage(text), 'https://playhead.example/login')
        return url.origin === 'https://playhead.example' && !/^\/+(login|logout|api)(\/|$)/i.test(url.pathname)
      }),
      { numRuns: runsOf(2000) },
    ),
  )
})
