/**
 * What pnpm is to know better about a package. Scalar's browser build is one file that needs nothing else; the 270 packages
 * that it was built from would be 240 MB in every clone.
 */
export const hooks = {
  readPackage(manifest) {
    return manifest.name === "@scalar/api-reference" ? { ...manifest, dependencies: {} } : manifest;
  },
};
