// A form from a JSON schema, loaded when it is first shown.
import { Suspense } from 'react'
import { lazyPart } from './lazy-part.ts'
import { Loading } from './loading.tsx'
import type { SchemaFormProps } from './schema-form/form.tsx'

export type { SchemaFormProps } from './schema-form/form.tsx'

const Form = lazyPart(() => import('./schema-form/form.tsx'))

export function SchemaForm(props: SchemaFormProps) {
  return (
    <Suspense fallback={<Loading rows={3} />}>
      <Form {...props} />
    </Suspense>
  )
}
