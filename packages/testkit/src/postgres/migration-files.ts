/**
 * Reads a folder of migrations: `0001_name.sql`, numbered from 1 without gaps.
 *
 * The checksum is over the text with line ends made alike, so that a checkout with CRLF is not a changed file.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { errorCode, Failure } from "../console/failure.ts";

export type Migration = {
  readonly version: number;
  /** The part between the number and `.sql`. */
  readonly name: string;
  readonly fileName: string;
  readonly sql: string;
  /** SHA-256, hex. */
  readonly checksum: string;
};

const FILE_NAME = /^(\d{4})_([a-z0-9][a-z0-9_-]*)\.sql$/;

/** All migrations in order; a name out of form, a gap or a number used twice is a Failure that names the file. */
export function readMigrations(directory: string): readonly Migration[] {
  const migrations = listSqlFiles(directory).map((fileName) => readMigration(directory, fileName));
  for (const [index, migration] of migrations.entries()) {
    const previous = migrations[index - 1];
    if (previous?.version === migration.version) {
      throw new Failure(
        `Two migrations have the same number: ${previous.fileName} and ${migration.fileName}.`,
      );
    }
    if (migration.version !== index + 1) {
      const missing = String(index + 1).padStart(4, "0");
      throw new Failure(`Migration ${missing} is missing: ${migration.fileName} comes in its place.`);
    }
  }
  return migrations;
}

function listSqlFiles(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(".sql"));
    return names.toSorted();
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") {
      throw new Failure(`There is no folder of migrations at ${directory}.`, { cause });
    }
    throw cause;
  }
}

function readMigration(directory: string, fileName: string): Migration {
  const [, number, name] = FILE_NAME.exec(fileName) ?? [];
  if (number === undefined || name === undefined) {
    throw new Failure(`${fileName} is not a migration's name: it should read 0001_what_it_does.sql.`);
  }
  const sql = readFileSync(join(directory, fileName), "utf8").replaceAll("\r\n", "\n");
  return {
    version: Number(number),
    name,
    fileName,
    sql,
    checksum: createHash("sha256").update(sql).digest("hex"),
  };
}
