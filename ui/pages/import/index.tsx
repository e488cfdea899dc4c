// Imports: choose a file, review it, choose an account, write.
import type { PageProps } from '../../app/page-props.ts'
import { ImportPage } from './import-page.tsx'
import { Imports } from './imports.tsx'

export default function ImportArea({ path, params }: PageProps) {
  return path === '/import/:id' ? <ImportPage id={params['id'] as string} /> : <Imports />
}
