// Which release is an update, and which part of its untrusted text is passed on.
import t from 'tap'
import { isNewer, newestRelease } from '../../../plugins/services/version/releases.ts'

const release = (tag: string, more: object = {}) => ({ tag_name: tag, ...more })

t.test('the highest version wins numerically, not by order or spelling', async (t) => {
  const choices = [
    [['v1.9.0', 'v1.10.0', 'v1.2.0'], '1.0.0', '1.10.0'],
    [['V2.0.0'], '1.0.0', '2.0.0'],
    [['nonsense', '', 'v1'], '1.0.0', undefined],
    [['v2.0.0-beta.2', 'v1.5.0'], '1.0.0', '1.5.0'],
    [['v2.0.0-beta.2', 'v2.0.0-beta.10', 'v1.5.0'], '2.0.0-beta.1', '2.0.0-beta.10'],
    [['v2.0.0-beta.2', 'v2.0.0'], '2.0.0-beta.1', '2.0.0'],
  ] as const
  for (const [tags, current, expected] of choices) {
    t.equal(
      newestRelease(
        tags.map((tag) => release(tag)),
        current,
      )?.version,
      expected,
      tags.join(' '),
    )
  }
})

t.test('drafts are never offered, and previews only to users of a preview', async (t) => {
  const releases = [release('v3.0.0', { draft: true }), release('v2.0.0', { prerelease: true }), release('v1.1.0')]
  t.equal(newestRelease(releases, '1.0.0')?.version, '1.1.0')
  t.equal(newestRelease(releases, '1.0.0-rc.1')?.version, '2.0.0')
  t.equal(newestRelease([], '1.0.0'), null)
  t.equal(newestRelease(release('v1.1.0'), '1.0.0')?.version, '1.1.0', 'a single release is a list of one')
})

t.test('an update is a version after a known one', async (t) => {
  const cases = [
    ['1.1.0', '1.0.0', true],
    ['1.0.0', '1.0.0', false],
    ['1.0.0', '1.1.0', false],
    ['1.0.0', '1.0.0-rc.1', true],
    ['1.0.0', '0.0.0', false],
    ['1.0.0', 'unknown', false],
    [null, '1.0.0', false],
    ['what', '1.0.0', false],
  ] as const
  for (const [latest, current, expected] of cases)
    t.equal(isNewer(latest, current), expected, `${latest} after ${current}`)
})

t.test('release notes keep their text and lose active content', async (t) => {
  const notes = newestRelease(
    release('v1.0.0', {
      name: 'Big <b>one</b>\u0007',
      body:
        '# New\r\n- <img src=x onerror=alert(1)>thing <script>bad()</script>\n' +
        '[go](javascript:alert(1)) <<b>script>x a < b <!-- hidden -->\u202e',
      html_url: 'https://example.org/r/1',
      published_at: '2026-01-02T03:04:05+01:00',
    }),
    '0.9.0',
  )
  t.match(notes, { name: 'Big one', url: 'https://example.org/r/1', publishedAt: '2026-01-02T02:04:05.000Z' })
  t.match(notes?.notes, /^# New\n- thing bad\(\)/)
  t.match(notes?.notes, / a < b$/)
  t.notMatch(notes?.notes, /<[a-z/!]|javascript:|onerror|hidden|\u202e/i)
})

t.test('invalid addresses and times are left empty', async (t) => {
  for (const html_url of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://user:password@example.org/',
    'nothing',
  ]) {
    t.equal(newestRelease(release('v1.0.0', { html_url }), '0.9.0')?.url, '')
  }
  t.match(newestRelease(release('v1.0.0', { published_at: 'yesterday', name: null, body: null }), '0.9.0'), {
    publishedAt: null,
    name: null,
    notes: '',
  })
})
