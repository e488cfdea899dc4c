// Creates a plugin from a template: a working plugin named Acme, renamed.
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { CliError } from '../command.ts'
import { linkPackages } from './links.ts'

const TEST_FILE = 'index.test.ts'
/** For editors: a plugin's page uses the DOM, its other files use Node. */
const PAGE_CONFIG = 'page.tsconfig.json'

interface ScaffoldRequest {
  /** Playhead's own folder. */
  readonly root: string
  /** A folder of sdk/templates. */
  readonly kind: string
  readonly id: string
  /** The folder to create; it must not exist. */
  readonly folder: string
  /** The plugin is part of the repository, so its test goes to the repository's tests. */
  readonly isShipped: boolean
}

interface Scaffold {
  readonly files: readonly string[]
  readonly test: string
}

/** Creates the complete folder or nothing. */
export async function scaffold({ root, kind, id, folder, isShipped }: ScaffoldRequest): Promise<Scaffold> {
  const test = isShipped
    ? join(root, 'test', relative(root, dirname(folder)), `${id}.test.ts`)
    : join(folder, TEST_FILE)
  for (const path of [folder, test])
    if (existsSync(path)) throw new CliError(`${path} exists already. Choose another id, or another folder with --dir.`)

  await mkdir(dirname(folder), { recursive: true })
  const parent = await realpath(dirname(folder))
  const draft = join(parent, `.${id}.new`)
  try {
    await cp(join(root, 'sdk', 'templates', kind), draft, { recursive: true })
    if (!isShipped) await addOutsideFiles(root, draft)
    const values: Values = {
      ...namesOf(id),
      folder: isShipped ? relative(root, folder) : folder,
      run: isShipped ? `npx node ${relative(root, test)}` : 'npm test',
      schema: isShipped
        ? slashes(join(relative(folder, root), 'sdk', 'plugin.schema.json'))
        : './node_modules/@playhead/sdk/plugin.schema.json',
      fromTest: isShipped ? slashes(relative(dirname(test), folder)) : '.',
    }
    const names = await filesOf(draft)
    for (const name of names)
      await writeFile(join(draft, name), fill(await readFile(join(draft, name), 'utf8'), name, values))
    if (isShipped) {
      await mkdir(dirname(test), { recursive: true })
      await rename(join(draft, TEST_FILE), test)
    }
    await rename(draft, join(parent, id))
    return { files: names.map((name) => (isShipped && name === TEST_FILE ? test : join(folder, name))), test }
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

// Outside of the repository, links make Playhead's packages resolvable, also for editors.
async function addOutsideFiles(root: string, draft: string): Promise<void> {
  const outside = join(root, 'sdk', 'templates', 'outside')
  for (const name of await readdir(outside))
    if (name !== PAGE_CONFIG) await cp(join(outside, name), join(draft, name === 'gitignore' ? '.gitignore' : name))
  const page = join(draft, 'page')
  if (existsSync(page)) await cp(join(outside, PAGE_CONFIG), join(page, 'tsconfig.json'))
  await linkPackages(root, draft)
}

async function filesOf(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => slashes(relative(folder, join(entry.parentPath, entry.name))))
    .filter((name) => !name.startsWith('node_modules/'))
    .sort()
}

interface Values {
  readonly id: string
  readonly identifier: string
  readonly constant: string
  readonly label: string
  readonly folder: string
  readonly run: string
  readonly schema: string
  readonly fromTest: string
}

function namesOf(id: string): Pick<Values, 'id' | 'identifier' | 'constant' | 'label'> {
  const words = id.split('-').filter((word) => word !== '')
  const label = words.join(' ')
  return {
    id,
    identifier: id.replaceAll('-', '_'),
    constant: id.replaceAll('-', '_').toUpperCase(),
    label: `${label[0]?.toUpperCase()}${label.slice(1)}`,
  }
}

function fill(
  text: string,
  name: string,
  { id, identifier, constant, label, folder, run, schema, fromTest }: Values,
): string {
  const named = text
    .replaceAll('acmeToken', identifier)
    .replaceAll('ACME', constant)
    .replaceAll('Acme', label)
    .replaceAll('acme', id)
    .replaceAll('{{folder}}', folder)
    .replaceAll('{{run}}', run)
    .replaceAll('../../plugin.schema.json', schema)
  return name === TEST_FILE ? named.replaceAll("'./", `'${fromTest}/`) : named
}

function slashes(path: string): string {
  return path.split(sep).join('/')
}
