/** The version of the package; the relay serves the files that belong to this widget below `widget@{version}/`. */
export const VERSION = '0.1.0';
