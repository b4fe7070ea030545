#include "CAnnexCurl.h"

CURLcode annex_curl_set_number(CURL *easy, CURLoption option, long number) {
    return curl_easy_setopt(easy, option, number);
}

CURLcode annex_curl_set_size(CURL *easy, CURLoption option, curl_off_t size) {
    return curl_easy_setopt(easy, option, size);
}

CURLcode annex_curl_set_text(CURL *easy, CURLoption option, const char *text) {
    return curl_easy_setopt(easy, option, text);
}

CURLcode annex_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *list) {
    return curl_easy_setopt(easy, option, list);
}

CURLcode annex_curl_set_form(CURL *easy, curl_mime *form) {
    return curl_easy_setopt(easy, CURLOPT_MIMEPOST, form);
}

CURLMcode annex_curl_set_limit(CURLM *multi, CURLMoption option, long number) {
    return curl_multi_setopt(multi, option, number);
}
