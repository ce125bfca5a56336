/** Who speaks: name and version, as in `Hello.library`; the version is that of `package.json`. */
export const VERSION = "0.1.0";
export const LIBRARY = `mergemaker-typescript ${VERSION}`;
