/** The plain forms: where links in emails lead to, and where signing in with an identity provider begins and ends. */
export const FORM_PATHS = {
  signIn: "/api/auth/forms/sign-in",
  link: "/api/auth/forms/link",
  invitation: "/api/auth/forms/invitation",
  setUp: "/api/auth/forms/set-up",
  provider: "/api/auth/forms/provider",
  signedIn: "/api/auth/forms/signed-in",
} as const;
