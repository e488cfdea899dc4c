// A form from a JSON schema, loaded when it is first shown.
import { lazy, Suspense } from 'react'
import { Loading } from './loading.tsx'
import type { SchemaFormProps } from './schema-form/form.tsx'

export type { SchemaFormProps } from './schema-form/form.tsx'

const Form = lazy(() => import('./schema-form/form.tsx'))

export function SchemaForm(props: SchemaFormProps) {
  return <Suspense fallback={<Loading rows={3} />}><Form {...props} /></Suspense>
}
