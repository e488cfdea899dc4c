// The pages keep the promises that the content security policy and the service make for them.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { loadPages } from '../../core/http/pages.ts'

const UI = join(import.meta.dirname, '../../ui')

const names = (await readdir(UI)).filter((name) => name.endsWith('.html'))

for (const name of names) {
  t.test(`${name} brings no script or style of its own, and takes nothing from elsewhere`, async (t) => {
    const html = await readFile(join(UI, name), 'utf8')

    t.notMatch(html, /<style|\sstyle=|\son[a-z]+=|javascript:/i)
    t.notMatch(html, /<script(?![^>]*\ssrc=)/i)
    t.notMatch(html, /(?:src|href|action)="(?:https?:)?\/\//i)
    t.match(html, /<html lang="en">/)
    t.match(html, /<meta name="viewport"/)
  })

  t.test(`every file that ${name} asks for is there`, async (t) => {
    const html = await readFile(join(UI, name), 'utf8')
    const pages = await loadPages(UI)

    const assets = [...html.matchAll(/\/assets\/([^"?]+)/g)].map(([, asset]) => asset ?? '')
    t.ok(assets.length > 0)
    for (const asset of assets) t.not(pages.asset(asset), undefined, asset)
  })

  t.test(`every control of ${name} has a name that is read aloud`, async (t) => {
    const html = await readFile(join(UI, name), 'utf8')

    for (const [input, id = ''] of html.matchAll(/<input\b[^>]*\bid="([^"]+)"[^>]*>/g)) {
      const before = html.slice(0, html.indexOf(input))
      const isInLabel = before.lastIndexOf('<label') > before.lastIndexOf('</label>')
      t.equal(isInLabel || html.includes(`<label for="${id}"`), true, id)
    }
  })
}

t.test('scripts find every element that they ask for', async (t) => {
  for (const [script, page] of [['login.js', 'login.html'], ['home.js', 'index.html']] as const) {
    const [code, html] = await Promise.all([script, page].map((name) => readFile(join(UI, name), 'utf8')))
    const ids = [...(code ?? '').matchAll(/byId\('([^']+)'\)/g)].map(([, id]) => id)

    t.ok(ids.length > 0)
    for (const id of new Set(ids)) t.equal(html?.includes(`id="${id}"`), true, `${script}: ${id}`)
  }
})

t.test('the login page has the one place that the service writes the destination to', async (t) => {
  const html = await readFile(join(UI, 'login.html'), 'utf8')

  t.equal(html.split('data-next="/"').length, 2)
})

t.test('scripts write text, never markup', async (t) => {
  for (const name of (await readdir(UI)).filter((file) => file.endsWith('.js'))) {
    t.notMatch(await readFile(join(UI, name), 'utf8'), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, name)
  }
})
