// Signing in to any service, from what it declares.
export { SignIn, useManifests, type Manifest, type SignInProps } from './sign-in.tsx'
